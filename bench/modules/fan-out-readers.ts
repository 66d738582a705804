import { connect } from "node:net"
import { BENCH_MODULE } from "../../node/test/modules/serve-for-bench.ts"
import { encodeModuleFrame, moduleRequest } from "../../protocol/src/module-ipc/index.ts"

/** Modules that shake hands and read everything, until their node ends the connections: `fan-out-readers.ts PATH COUNT`. */
const [path, count] = [process.argv[2]!, Number(process.argv[3])]

for (let i = 0; i < count; i++) {
  const socket = connect(path)
  socket.resume()
  socket.write(encodeModuleFrame(moduleRequest(1n, { _tag: "Handshake", ...BENCH_MODULE })))
}
