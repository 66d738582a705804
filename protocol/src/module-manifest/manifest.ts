import type { Permission } from "../module-ipc/permissions.ts"
import type { NetworkPlace } from "./network-place.ts"
import type { SemanticVersion } from "./semantic-version.ts"
import type { VersionRequirement } from "./version-requirement.ts"

/** A signature of a maintainer: a compressed public key of 33 bytes, and a compact ECDSA signature of 64 bytes. */
export interface MaintainerSignature {
  readonly name: string
  readonly key: Uint8Array
  readonly signature: Uint8Array
}

/** Number of required signatures, and of maintainers. */
export interface Threshold {
  readonly needed: number
  readonly of: number
}

/** A requirement on the version of another module or the node, with its text. */
export interface Dependency {
  readonly name: string
  readonly written: string
  readonly requirement: VersionRequirement
}

/** Facts of the manifest about the program. */
export interface ManifestBinary {
  /** SHA-256 of the file. */
  readonly hash: Uint8Array
  /** Size in bytes. */
  readonly size: number
  readonly downloadUrl: string | undefined
}

/** The versions that a module needs or was tested with. */
export interface Compatibility {
  readonly minConsensusVersion: SemanticVersion | undefined
  readonly minProtocolVersion: SemanticVersion | undefined
  readonly minNodeVersion: SemanticVersion | undefined
  readonly testedWith: ReadonlyArray<SemanticVersion>
}

/** A module as its `module.toml` describes it, with each field checked. */
export interface Manifest {
  readonly name: string
  readonly version: SemanticVersion
  readonly versionText: string
  readonly description: string
  readonly author: string | undefined
  /** The file name of the program. */
  readonly entryPoint: string
  readonly capabilities: ReadonlyArray<Permission>
  readonly dependencies: ReadonlyArray<Dependency>
  readonly optionalDependencies: ReadonlyArray<Dependency>
  readonly compatibility: Compatibility
  readonly binary: ManifestBinary | undefined
  readonly signatures:
    | { readonly maintainers: ReadonlyArray<MaintainerSignature>; readonly threshold: Threshold }
    | undefined
  /** RPC methods of the node that the module overrides. */
  readonly rpcOverrides: ReadonlyArray<string>
  /** Addresses on which the module may listen, unless the operator sets others. */
  readonly networkListen: ReadonlyArray<NetworkPlace>
  /** Addresses to which it may connect, unless the operator sets others. */
  readonly networkConnect: ReadonlyArray<NetworkPlace>
}

/** A fault in one field. */
export interface ManifestFault {
  /** Path of the field in the file: `signatures.maintainers[1].key`. */
  readonly field: string
  /** Text that completes the name of the field: "is missing", "must be a text". */
  readonly text: string
}

/** Formats a fault. */
export const manifestFaultText = ({ field, text }: ManifestFault): string => `${field} ${text}`
