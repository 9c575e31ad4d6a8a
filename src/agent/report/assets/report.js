(function () {
  'use strict';
  // A button beside every command; without a script the text can be selected.
  document.querySelectorAll('pre.command').forEach(function (pre) {
    var button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', function () {
      var done = function () {
        button.textContent = 'Copied';
        setTimeout(function () { button.textContent = 'Copy'; }, 1500);
      };
      var range = document.createRange();
      range.selectNodeContents(pre);
      var selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      // The older way first: it works from a file, without asking.
      if (document.execCommand('copy')) {
        done();
      } else if (navigator.clipboard) {
        navigator.clipboard.writeText(pre.textContent).then(done, function () {});
      }
    });
    var wrap = document.createElement('div');
    wrap.className = 'command-wrap';
    pre.parentNode.insertBefore(wrap, pre);
    wrap.appendChild(pre);
    wrap.appendChild(button);
  });

  var find = document.getElementById('find');
  if (!find) { return; }
  var goals = Array.prototype.slice.call(document.querySelectorAll('.goal'));
  var none = document.getElementById('none');
  var look = function () {
    var words = find.value.toLowerCase();
    goals.forEach(function (goal) {
      goal.hidden = goal.dataset.words.toLowerCase().indexOf(words) < 0;
    });
    none.hidden = goals.some(function (goal) { return goal.offsetParent !== null; });
  };
  find.hidden = false;
  find.addEventListener('input', look);
  document.querySelectorAll('input[name=show]').forEach(function (radio) {
    radio.addEventListener('change', function () {
      history.replaceState(null, '', '#' + radio.id);
      look();
    });
    if ('#' + radio.id === location.hash) { radio.checked = true; }
  });
  document.addEventListener('keydown', function (event) {
    if (event.key === '/' && document.activeElement !== find) {
      event.preventDefault();
      find.focus();
    }
  });
  look();
}());
