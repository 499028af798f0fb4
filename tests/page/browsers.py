# SPDX-License-Identifier: MIT
"""Debian's browsers, each driven by what Debian has for it: Chromium by Selenium, Firefox by Firefox::Marionette."""
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
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    from selenium.webdriver.common.by import By
except ImportError:
    webdriver = None

SIZE = (1366, 768)
# What a page has done when it is shown: page/main.js.
_IS_SHOWN = "return window.matchPage !== undefined || document.querySelector('body > p.empty') !== null"


class Chromium:
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
        """What a function's body returns."""
        return self.driver.execute_script(script)

    def _perform(self, actions):
        actions.perform()
        # The page draws what has changed with the next frame (page/view.js).
        while self.run("return window.matchPage !== undefined && matchPage.view.waiting.size > 0"):
            time.sleep(0.01)

    def keys(self, keys):
        self._perform(ActionChains(self.driver).send_keys(keys))

    def click(self, selector, x=None, y=None):
        """@param x from the element's left, if not its middle"""
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        actions = ActionChains(self.driver)
        if x is None:
            actions.move_to_element(element)
        else:
            actions.move_to_element_with_offset(element, x - element.size["width"] / 2, y - element.size["height"] / 2)
        self._perform(actions.click())

    def drag(self, selector, begin, end):
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        left, top = element.size["width"] / 2, element.size["height"] / 2
        actions = ActionChains(self.driver)
        actions.move_to_element_with_offset(element, begin[0] - left, begin[1] - top).click_and_hold()
        self._perform(actions.move_by_offset(end[0] - begin[0], end[1] - begin[1]).release())

    def wheel(self, selector, x, y, amount):
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        origin = ScrollOrigin.from_element(element, round(x - element.size["width"] / 2), round(y - element.size["height"] / 2))
        self._perform(ActionChains(self.driver).scroll_from_origin(origin, 0, amount))

    def complaints(self):
        """What the page has written to the console: a policy that was violated is there."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def screenshot(self, file):
        self.driver.save_screenshot(str(file))

    def close(self):
        self.driver.quit()


class Firefox:
    """Speaks with firefox.pl: a line of JSON each way."""

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

    def complaints(self):
        return []

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def missing():
    """What is not there of what the tests need."""
    found = {"chromium": shutil.which("chromium"), "chromium-driver": shutil.which("chromedriver"),
             "python3-selenium": webdriver, "firefox-esr": shutil.which("firefox-esr")}
    module = subprocess.run(["perl", "-MFirefox::Marionette", "-e", "1"], capture_output=True, check=False)
    found["libfirefox-marionette-perl"] = module.returncode == 0
    return [name for name, is_found in found.items() if not is_found]


def open_page(browser, file):
    """@returns seconds until it was shown"""
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
