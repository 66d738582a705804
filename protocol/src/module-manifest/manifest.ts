import type { Permission } from "../module-ipc/permissions.ts"
import type { NetworkPlace } from "./network-place.ts"
import type { SemanticVersion } from "./semantic-version.ts"
import type { VersionRequirement } from "./version-requirement.ts"

/** What a maintainer signed with: a compressed public key of 33 bytes, and a compact ECDSA signature of 64. */
export interface MaintainerSignature {
  readonly name: string
  readonly key: Uint8Array
  readonly signature: Uint8Array
}

/** How many of how many. */
export interface Threshold {
  readonly needed: number
  readonly of: number
}

/** A requirement of another module's or the node's version, and how it was written. */
export interface Dependency {
  readonly name: string
  readonly written: string
  readonly requirement: VersionRequirement
}

/** What the manifest says of the program. */
export interface ManifestBinary {
  /** SHA-256. */
  readonly hash: Uint8Array
  /** Bytes. */
  readonly size: number
  readonly downloadUrl: string | undefined
}

/** The versions that a module needs or was tried with. */
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
  /** Methods of RPC that the module answers in the node's place. */
  readonly rpcOverrides: ReadonlyArray<string>
  /** Where the module may listen, unless the operator says otherwise. */
  readonly networkListen: ReadonlyArray<NetworkPlace>
  /** Where it may connect to, unless the operator says otherwise. */
  readonly networkConnect: ReadonlyArray<NetworkPlace>
}

/** What is wrong with one field. */
export interface ManifestFault {
  /** As it is written in the file: `signatures.maintainers[1].key`. */
  readonly field: string
  /** Completes the name of the field: "is missing", "must be a text". */
  readonly text: string
}

/** A fault in words. */
export const manifestFaultText = ({ field, text }: ManifestFault): string => `${field} ${text}`
