// webdriverio, through Appium and its XCUITest driver, on the served phone. wdio.py starts what it needs.
//   usage: wdio.mjs APPIUM_PORT CAPABILITIES, with one JSON line on standard output: [name, value or error, milliseconds]…
import { remote } from 'webdriverio';

const [, , port, capabilities] = process.argv;
const rows = [];
const step = async (name, act) => {
  const started = performance.now();
  const add = (value) => rows.push([name, value, performance.now() - started]);
  try {
    add((await act()) ?? null);
  } catch (e) {
    add({ error: `${e.name}: ${e.message}` });
  }
};

const driver = await remote({
  hostname: '127.0.0.1', port: Number(port), logLevel: 'silent', connectionRetryCount: 0,
  capabilities: JSON.parse(capabilities), waitforTimeout: 3000, waitforInterval: 50,
});

async function form() {
  await step('click', () => driver.$('~add').click());
  const first = driver.$('~first-name');
  await step('wait until displayed', () => first.waitForDisplayed());
  await step('set a value', () => first.setValue('Ada'));
  await step('read it', () => first.getText());
  await step('add to it', () => first.addValue('lie'));
  await step('read all of it', () => first.getAttribute('value'));
  await step('clear it', () => first.clearValue());
  await step('set another', () => first.setValue('Grace'));
  const last = driver.$('-ios predicate string:name == "last-name"');
  await step('set one found by predicate', () => last.setValue('Hopper'));
  await step('keys', () => driver.keys(['s']));
  await step('read one found by class chain',
    () => driver.$('-ios class chain:**/XCUIElementTypeTextField[`name == "last-name"`]').getText());
  await step('is the keyboard shown', () => driver.isKeyboardShown());
  await step('save', () => driver.$('~done').click());
  await step('wait until it exists', () => driver.$('~contact-name').waitForExist());
  await step('what it says', () => driver.$('~contact-name').getText());
  await step('back', () => driver.back());
}

async function list() {
  await step('how many', () => driver.$$('XCUIElementTypeCell').length);
  await step('each of them', () => driver.$$('XCUIElementTypeCell').map((e) => e.getAttribute('label')).then((v) => v[0]));
  await step('one that is not there', () => driver.$('~nobody').isExisting());
  await step('displayed out of sight', () => driver.$('~Adam Young').isDisplayed());
  await step('scroll to it', () => driver.execute('mobile: scroll', { predicateString: 'label == "Adam Young"' }));
  await step('displayed now', () => driver.$('~Adam Young').isDisplayed());
  await step('swipe', () => driver.swipe({ direction: 'down' }));
  await step('tap', () => driver.tap({ x: 200, y: 20 }));
  await step('rect of an element', () => driver.$('XCUIElementTypeNavigationBar').getSize('width'));
  await step('tag name', () => driver.$('XCUIElementTypeNavigationBar').getTagName());
  await step('long press', () => driver.$('XCUIElementTypeNavigationBar').longPress());
  await step('actions of a finger', () => driver.action('pointer', { parameters: { pointerType: 'touch' } })
    .move({ x: 200, y: 600 }).down().move({ duration: 200, x: 200, y: 300 }).up().perform());
}

async function device() {
  await step('window size', () => driver.getWindowSize());
  await step('orientation', () => driver.getOrientation());
  await step('screenshot', async () => (await driver.takeScreenshot()).slice(0, 8));
  await step('app in front', async () => (await driver.execute('mobile: activeAppInfo')).bundleId);
  await step('state of an app', () => driver.queryAppState('com.apple.MobileAddressBook'));
  await step('end an app', () => driver.terminateApp('com.apple.MobileAddressBook'));
  await step('start it', () => driver.activateApp('com.apple.MobileAddressBook'));
  await step('start it again', () => driver.relaunchActiveApp());
  await step('source', async () => (await driver.getPageSource()).includes('<AppiumAUT>'));
  await step('no alert', () => driver.getAlertText());
  await step('lock', () => driver.lock());
  await step('is locked', () => driver.isLocked());
  await step('unlock', () => driver.unlock());
  await step('go to a URL', () => driver.url('prefs:root=LOCATION'));
  await step('cause an alert', () => driver.$('~location_services').click());
  await step('its text', () => driver.getAlertText());
  await step('accept it', () => driver.acceptAlert());
}

try {
  await form();
  await list();
  await device();
} finally {
  await step('end the session', () => driver.deleteSession());
  console.log(JSON.stringify(rows));
}
