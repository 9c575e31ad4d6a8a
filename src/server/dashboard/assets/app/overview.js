// overview.js: how everything stands.
import { h, Part } from './dom.js';
customElements.define('ia-overview', class extends Part {
  begin() { this.append(h('h1', null, 'Overview')); }
});
