import { PackageVersion } from "@lockstep/protocol/wire/messages/packages.ts"
import { offers } from "@lockstep/protocol/wire/services.ts"
import type { Peer } from "./peer.ts"

/** What this node can do with packages where it relays them. */
export const OUR_PACKAGES = PackageVersion.TRANSACTIONS | PackageVersion.ANCESTORS

/** Whether both sides said in the handshake that they relay packages in these ways. */
export const relaysPackages = ({ hello }: Peer, versions: bigint = OUR_PACKAGES): boolean =>
  hello !== undefined && hello.wtxidRelay && hello.relay && offers(hello.packages, versions)
