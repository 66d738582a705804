import type { ModuleNetwork } from "@lockstep/sdk"
import { type OpenPublisher, subscribersOf } from "@lockstep/zmq"
import { placeOf } from "./notifiers.ts"

/** Sockets that the node holds for this module. */
export const overNode = (network: Pick<ModuleNetwork, "listen">): OpenPublisher => async (address, highWater) => {
  const { end, publish, serve } = subscribersOf(highWater)
  const listener = await network.listen(placeOf(address)!, serve)
  return {
    publish,
    close: async () => {
      await listener.close()
      end()
    }
  }
}
