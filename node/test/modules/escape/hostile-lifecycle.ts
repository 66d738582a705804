import { bareProgram, connectedProgram, type HostileModule } from "./hostile-module.ts"

const EXITS = /exited with code 7/

/** Modules that end, or do not, at each point of their lives. */
export const LIFECYCLE_ATTACKS: ReadonlyArray<HostileModule> = [
  {
    name: "exits-at-once",
    does: "exits before it connects",
    program: () => bareProgram("process.exit(7)"),
    outcome: { _tag: "Ended", reason: /exited with code 7 before it connected/ }
  },
  {
    name: "exits-connected",
    does: "exits before it shakes hands",
    program: () => connectedProgram(`socket.on("connect", () => process.exit(7))`),
    outcome: { _tag: "Ended", reason: /ended the connection|exited with code 7/ }
  },
  {
    name: "exits-shaking",
    does: "exits behind its handshake, which it does not wait for",
    program: () => connectedProgram(`handshake(); socket.on("connect", () => setImmediate(() => process.exit(7)))`),
    outcome: { _tag: "Ended", reason: EXITS }
  },
  {
    name: "exits-subscribing",
    does: "exits before it subscribes",
    capabilities: ["subscribe_events"],
    program: () => connectedProgram(`handshake(); eachMessage(() => process.exit(7))`),
    outcome: { _tag: "Ended", reason: EXITS }
  },
  {
    name: "exits-loaded",
    does: "exits at its first event",
    capabilities: ["subscribe_events"],
    program: () =>
      connectedProgram(`handshake(); subscribe(E.ModuleLoaded); eachMessage((m) => m[0] === 2 && process.exit(7))`),
    outcome: { _tag: "Ended", reason: EXITS }
  },
  {
    name: "exits-asking",
    does: "exits while its requests are answered",
    capabilities: ["read_blockchain"],
    program: () =>
      connectedProgram(`
handshake()
for (let i = 0; i < 200; i++) request(R.GetBlockByHeight, u64(i % 5))
eachMessage((message) => message.readBigUInt64LE(4) === 20n && process.exit(7))
`),
    outcome: { _tag: "Ended", reason: EXITS }
  },
  {
    name: "hangs-up",
    does: "ends its connection and goes on",
    program: () =>
      connectedProgram(`handshake(); eachMessage(() => socket.end()); setInterval(() => undefined, 1000)
socket.removeAllListeners("end")`),
    outcome: { _tag: "Ended", reason: /ended the connection/ }
  },
  {
    name: "stays",
    does: "does not end when it is unloaded",
    program: () =>
      connectedProgram(`handshake(); socket.removeAllListeners("end"); process.on("SIGTERM", () => 0)
setInterval(() => undefined, 1000); report()`),
    outcome: { _tag: "Contained", report: {} },
    isSlow: true
  },
  {
    name: "exits-unloading",
    does: "exits with an error when it is unloaded",
    program: () =>
      connectedProgram(
        `handshake(); socket.removeAllListeners("end"); socket.on("end", () => process.exit(7)); report()`
      ),
    outcome: { _tag: "Contained", report: {} }
  },
  {
    name: "never-connects",
    does: "does not connect",
    program: () => bareProgram("setInterval(() => undefined, 1000)"),
    outcome: { _tag: "Ended", reason: /did not connect within 10000 ms/ },
    isSlow: true
  },
  {
    name: "never-shakes",
    does: "connects, and does not shake hands",
    program: () => connectedProgram(""),
    outcome: { _tag: "Ended", reason: /no handshake in time/ },
    isSlow: true
  }
]
