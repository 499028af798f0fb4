#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serve_web.py ENGINE PACK TOLD [PORT]: a browser game's page, its engine (a folder with index.js and index.wasm) and its
pack; what peers tell is appended to files in the folder TOLD, by their ids."""
import http.server
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parent / "projects" / "web" / "page.html"
TYPES = {".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html"}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = pathlib.PurePosixPath(self.path.split("?")[0]).name
        path = {"page.html": PAGE, "game.pck": PACK}.get(name, ENGINE / name)
        if not path.is_file():
            return self.send_error(404)
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", TYPES.get(path.suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self):
        name = pathlib.PurePosixPath(self.path).name
        with open(TOLD / f"{name}.jsonl", "ab") as file:
            file.write(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ENGINE, PACK, TOLD = (pathlib.Path(each) for each in sys.argv[1:4])
    port = int(sys.argv[4]) if len(sys.argv) > 4 else 8060
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
