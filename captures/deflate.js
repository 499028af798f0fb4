// SPDX-License-Identifier: MIT
// node deflate.js, with the package ws: what stands in front of many games' servers on the web. It agrees to
// permessage-deflate, hands messages on to a game's server, which does not, and sends back what comes to /echo.
const { WebSocket, WebSocketServer } = require("ws");

new WebSocketServer({ port: 9083, perMessageDeflate: { threshold: 0 } }).on("connection", (client, request) => {
  if (request.url === "/echo") return client.on("message", (bytes, binary) => client.send(bytes, { binary }));
  const game = new WebSocket("ws://127.0.0.1:9081", { perMessageDeflate: false });
  const waiting = [];
  client.on("message", (bytes, binary) => {
    if (game.readyState === WebSocket.OPEN) game.send(bytes, { binary });
    else waiting.push([bytes, { binary }]);
  });
  game.on("open", () => waiting.splice(0).forEach((message) => game.send(...message)));
  game.on("message", (bytes, binary) => client.send(bytes, { binary }));
  game.on("close", () => client.close());
  client.on("close", () => game.close());
});
