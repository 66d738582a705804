import { loadIrohBinding } from "../../../src/p2p/transport/iroh/iroh-binding.ts"

const loaded = loadIrohBinding()

/** Why Iroh cannot be tried on this machine; nothing: it can. */
export const bindingFault: string | undefined = loaded._tag === "Missing" ? loaded.reason : undefined
