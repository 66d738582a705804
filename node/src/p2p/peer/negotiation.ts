import { PackageVersion } from "@lockstep/protocol/wire/messages/packages.ts"
import { offers } from "@lockstep/protocol/wire/services.ts"
import type { Peer } from "./peer.ts"

/** Versions of package relay that this node supports. */
export const OUR_PACKAGES = PackageVersion.TRANSACTIONS | PackageVersion.ANCESTORS

/** True if both sides negotiated package relay with these versions in the handshake. */
export const relaysPackages = ({ hello }: Peer, versions: bigint = OUR_PACKAGES): boolean =>
  hello !== undefined && hello.wtxidRelay && hello.relay && offers(hello.packages, versions)
