import type { Happening } from "../../runtime/trace.ts"
import type { CoreLine } from "./core-line.ts"

const net = (text: string): CoreLine => ({ level: "debug", category: "net", text })

/** The address of a peer, where the operator wants it shown. */
const at = (address: string, showsIps: boolean): string => showsIps ? `, peeraddr=${address}` : ""

/** The lines of `debug.log` for what happens in detail. */
export const linesOfHappening = (happening: Happening, showsIps: boolean): ReadonlyArray<CoreLine> => {
  switch (happening._tag) {
    case "Received":
      return [net(`received: ${happening.command} (${happening.bytes} bytes) peer=${happening.peer}`)]
    case "Sent":
      return [net(`sending ${happening.command} (${happening.bytes} bytes) peer=${happening.peer}`)]
    case "ConnectionAdded":
      return [net(`Added connection peer=${happening.peer}`)]
    case "ConnectionGone": {
      const { address, peer, reason } = happening
      return [
        net(`${reason}, disconnecting peer=${peer}${at(address, showsIps)}`),
        net(`Cleared nodestate for peer=${peer}`)
      ]
    }
    case "Misbehaving":
      return [net(`Misbehaving: peer=${happening.peer}${at(happening.address, showsIps)}: ${happening.reason}`)]
    case "RpcCall":
      return [{
        level: "debug",
        category: "rpc",
        text: `ThreadRPCServer method=${happening.method} user=${happening.user} id=${happening.id}`
      }]
  }
}
