import type { MessageOf } from "../stratum-v2/src/wire/messages.ts"

/** What a peer of Stratum V2 says first, of version 2 and without a name. */
export const setupConnection = (protocol: number, flags = 0): MessageOf<"SetupConnection"> => ({
  _tag: "SetupConnection",
  protocol,
  min_version: 2,
  max_version: 2,
  flags,
  endpoint_host: "",
  endpoint_port: 0,
  vendor: "",
  hardware_version: "",
  firmware: "",
  device_id: ""
})
