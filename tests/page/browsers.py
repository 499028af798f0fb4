# SPDX-License-Identifier: MIT
"""Debian's browsers and their drivers: Chromium with Selenium, Firefox with Firefox::Marionette."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.remote.command import Command
except ImportError:
    webdriver = None

SIZE = (1366, 768)
# Variable that page/main.js sets when the page is ready.
_IS_SHOWN = "return window.matchPage !== undefined || document.querySelector('body > p.empty') !== null"


class Browser:
    """Performs WebDriver actions with mouse or keyboard."""

    def _perform(self, kind, actions):
        self._act(kind, actions)
        # The page draws changes in the next frame (page/view.js).
        while self.run("return window.matchPage !== undefined && matchPage.view.waiting.size > 0"):
            time.sleep(0.01)

    def _move(self, selector, x=None, y=None):
        """@param x offset from the element's left edge; null: its middle"""
        left, top, width, height = self.run(f"""
          const element = document.querySelector({json.dumps(selector)});
          element.scrollIntoView({{block: 'nearest'}});
          const box = element.getBoundingClientRect();
          return [box.left, box.top, box.width, box.height];""")
        return {"type": "pointerMove", "x": round(left + (width / 2 if x is None else x)), "y": round(top + (height / 2 if y is None else y))}

    def keys(self, keys):
        self._perform("key", [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")])

    def hover(self, selector, x, y):
        self._perform("pointer", [self._move(selector, x, y)])

    def click(self, selector):
        self._perform("pointer", [self._move(selector), {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def drag(self, selector, begin, end):
        self._perform("pointer", [self._move(selector, *begin), {"type": "pointerDown", "button": 0}, self._move(selector, *end),
                                  {"type": "pointerUp", "button": 0}])

    def wheel(self, selector, x, y, amount):
        self._perform("wheel", [{**self._move(selector, x, y), "type": "scroll", "deltaX": 0, "deltaY": amount, "duration": 0}])


class Chromium(Browser):
    def __init__(self, folder):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
                         "--disable-sync", "--force-device-scale-factor=1", f"--user-data-dir={folder}",
                         f"--window-size={SIZE[0]},{SIZE[1]}"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1, "mobile": False})

    def go(self, url):
        self.driver.get(url)

    def run(self, script):
        """Returns the result of a function with this body."""
        return self.driver.execute_script(script)

    def _act(self, kind, actions):
        self.driver.execute(Command.W3C_ACTIONS, {"actions": [{"type": kind, "id": kind, "actions": actions}]})

    def complaints(self):
        """Returns the messages in the page's console, which include violations of the content security policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def screenshot(self, file):
        self.driver.save_screenshot(str(file))

    def close(self):
        self.driver.quit()


class Firefox(Browser):
    """Controls Firefox through firefox.pl: one line of JSON in each direction."""

    def __init__(self, folder):
        script = pathlib.Path(__file__).with_name("firefox.pl")
        environment = {**os.environ, "HOME": str(folder), "MOZ_HEADLESS": "1"}
        self.process = subprocess.Popen(["perl", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        encoding="utf-8", env=environment)

    def _ask(self, what, argument):
        self.process.stdin.write(json.dumps([what, argument]) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def go(self, url):
        self._ask("go", url)

    def run(self, script):
        return json.loads(self._ask("run", f"return JSON.stringify((() => {{ {script} }})() ?? null)"))

    def _act(self, kind, actions):
        self._ask("act", [{"pointerType": "mouse", **action} if kind == "pointer" else action for action in actions])

    def complaints(self):
        return []

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def missing():
    """Returns the missing programs and modules that the tests need."""
    found = {"chromium": shutil.which("chromium"), "chromium-driver": shutil.which("chromedriver"),
             "python3-selenium": webdriver, "firefox-esr": shutil.which("firefox-esr")}
    module = subprocess.run(["perl", "-MFirefox::Marionette", "-e", "1"], capture_output=True, check=False)
    found["libfirefox-marionette-perl"] = module.returncode == 0
    return [name for name, is_found in found.items() if not is_found]


def open_page(browser, file):
    """@returns seconds until the page was shown"""
    start = time.monotonic()
    browser.go(f"file://{file}")
    while not browser.run(_IS_SHOWN):
        time.sleep(0.02)
    return time.monotonic() - start


@contextlib.contextmanager
def opened(kind, folder):
    folder.mkdir()
    browser = kind(folder)
    try:
        yield browser
    finally:
        browser.close()


if __name__ == "__main__":
    sys.exit(" ".join(missing()))
