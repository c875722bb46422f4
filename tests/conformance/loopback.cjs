// The suite's mock servers listen on all interfaces. Loaded before it, this keeps them on the loopback
// interface. The address must be there as soon as `listen` returns, so the host is put in where Node binds.
const { Server } = require("node:net");

const bind = Server.prototype._listen2;
Server.prototype._listen2 = function (address, port, family, ...rest) {
  return address == null
    ? bind.call(this, "127.0.0.1", port, 4, ...rest)
    : bind.call(this, address, port, family, ...rest);
};
