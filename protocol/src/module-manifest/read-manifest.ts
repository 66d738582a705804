import * as Result from "effect/Result"
import {
  capabilities,
  entryPoint,
  hex,
  httpUrl,
  isDependencyName,
  listOfTexts,
  moduleName,
  networkPlaces,
  rpcOverrides,
  textUpTo,
  threshold,
  versionField,
  versions,
  wholeNumberField
} from "./field-checks.ts"
import {
  optionalField,
  refuseField,
  refuseUnknownFields,
  requiredField,
  tableField,
  type TableReader,
  tablesField
} from "./field-reader.ts"
import type {
  Compatibility,
  Dependency,
  MaintainerSignature,
  Manifest,
  ManifestBinary,
  ManifestFault
} from "./manifest.ts"
import { versionRequirementOf } from "./version-requirement.ts"

const MAX_MAINTAINERS = 32
const MAX_DEPENDENCIES = 64

const dependenciesOf = (reader: TableReader, name: string): ReadonlyArray<Dependency> => {
  const table = tableField(reader, name)
  if (table === undefined) return []
  const entries = Object.entries(table.content)
  if (entries.length > MAX_DEPENDENCIES) refuseField(reader, name, `must have at most ${MAX_DEPENDENCIES} entries`)
  return entries.slice(0, MAX_DEPENDENCIES).flatMap(([dependency, written]) => {
    const requirement = typeof written === "string" ? versionRequirementOf(written) : undefined
    if (!isDependencyName(dependency)) refuseField(table, dependency, "is no name of a module")
    else if (requirement === undefined) refuseField(table, dependency, "must be a requirement such as >=1.0.0 or 0.1.*")
    else return [{ name: dependency, written: written as string, requirement }]
    return []
  })
}

const binaryOf = (reader: TableReader): ManifestBinary | undefined => {
  const table = tableField(reader, "binary")
  if (table === undefined) return undefined
  const hash = requiredField(table, "hash", hex("sha256:", 32, "sha256: and a hash"))
  const size = requiredField(table, "size", wholeNumberField)
  const downloadUrl = optionalField(table, "download_url", httpUrl)
  refuseUnknownFields(table)
  return hash === undefined || size === undefined ? undefined : { hash, size, downloadUrl }
}

const maintainerOf = (table: TableReader): MaintainerSignature | undefined => {
  const name = requiredField(table, "name", textUpTo(128))
  const key = requiredField(table, "key", hex("", 33, "a compressed public key"))
  const signature = requiredField(table, "signature", hex("", 64, "a signature"))
  refuseUnknownFields(table)
  return name === undefined || key === undefined || signature === undefined ? undefined : { name, key, signature }
}

const sameBytes = (left: Uint8Array, right: Uint8Array): boolean => left.every((byte, i) => byte === right[i])

const refuseRepeatedKeys = (table: TableReader, found: ReadonlyArray<MaintainerSignature>): void => {
  for (const [i, { key }] of found.entries()) {
    if (found.findIndex((each) => sameBytes(each.key, key)) < i) {
      refuseField(table, `maintainers[${i}].key`, "is the key of another maintainer as well")
    }
  }
}

const signaturesOf = (reader: TableReader): Manifest["signatures"] => {
  const table = tableField(reader, "signatures")
  if (table === undefined) return undefined
  const needed = requiredField(table, "threshold", threshold)
  const tables = tablesField(table, "maintainers", MAX_MAINTAINERS)
  if (!("maintainers" in table.content)) refuseField(table, "maintainers", "is missing")
  const maintainers = tables?.flatMap((each) => maintainerOf(each) ?? []) ?? []
  refuseUnknownFields(table)
  refuseRepeatedKeys(table, maintainers)
  if (needed !== undefined && tables !== undefined && tables.length > needed.of) {
    refuseField(table, "maintainers", `must not be more than the ${needed.of} of the threshold`)
  }
  if (!("binary" in reader.content)) {
    refuseField(reader, "binary", "is missing, and without its hash a signature says nothing about the program")
  }
  return needed === undefined ? undefined : { maintainers, threshold: needed }
}

const compatibilityOf = (reader: TableReader): Compatibility => {
  const table = tableField(reader, "compatibility")
  if (table === undefined) {
    return { minConsensusVersion: undefined, minProtocolVersion: undefined, minNodeVersion: undefined, testedWith: [] }
  }
  const compatibility = {
    minConsensusVersion: optionalField(table, "min_consensus_version", versionField),
    minProtocolVersion: optionalField(table, "min_protocol_version", versionField),
    minNodeVersion: optionalField(table, "min_node_version", versionField),
    testedWith: optionalField(table, "tested_with", versions) ?? []
  }
  refuseUnknownFields(table)
  return compatibility
}

/** Checks the form of the governance table, which only people read. */
const checkGovernance = (reader: TableReader): void => {
  const table = tableField(reader, "governance")
  if (table === undefined) return
  optionalField(table, "tier", textUpTo(128))
  optionalField(table, "maintainers", listOfTexts)
  optionalField(table, "threshold", threshold)
  optionalField(table, "review_period_days", wholeNumberField)
  refuseUnknownFields(table)
}

const refuseOwnName = (reader: TableReader, name: string | undefined): void => {
  for (const table of ["dependencies", "optional_dependencies"]) {
    const entries = reader.content[table]
    if (name !== undefined && typeof entries === "object" && entries !== null && Object.hasOwn(entries, name)) {
      refuseField(reader, `${table}.${name}`, "is the module itself")
    }
  }
}

/** Refuses addresses without the permission to use them, since they would look as if they were granted. */
const refuseIdlePlaces = (
  reader: TableReader,
  granted: ReadonlyArray<string> | undefined,
  places: Pick<Manifest, "networkListen" | "networkConnect">
): void => {
  if (granted === undefined || granted.includes("network_access")) return
  const idle = [["network_listen", places.networkListen], ["network_connect", places.networkConnect]] as const
  for (const [name, found] of idle) {
    if (found.length > 0) refuseField(reader, name, "needs network_access among the capabilities")
  }
}

/** Reads the manifest of a parsed `module.toml`. Fails with every fault in it, one for each field. */
export const readManifest = (
  content: Readonly<Record<string, unknown>>
): Result.Result<Manifest, ReadonlyArray<ManifestFault>> => {
  const reader: TableReader = { path: "", content, known: new Set(), faults: [] }
  const name = requiredField(reader, "name", moduleName)
  const parsedVersion = requiredField(reader, "version", versionField)
  const manifest = {
    name: name!,
    version: parsedVersion!,
    versionText: String(content["version"]),
    description: requiredField(reader, "description", textUpTo(1_024))!,
    author: optionalField(reader, "author", textUpTo(256)),
    entryPoint: requiredField(reader, "entry_point", entryPoint)!,
    capabilities: requiredField(reader, "capabilities", capabilities)!,
    dependencies: dependenciesOf(reader, "dependencies"),
    optionalDependencies: dependenciesOf(reader, "optional_dependencies"),
    compatibility: compatibilityOf(reader),
    binary: binaryOf(reader),
    signatures: signaturesOf(reader),
    rpcOverrides: optionalField(reader, "rpc_overrides", rpcOverrides) ?? [],
    networkListen: optionalField(reader, "network_listen", networkPlaces) ?? [],
    networkConnect: optionalField(reader, "network_connect", networkPlaces) ?? []
  }
  checkGovernance(reader)
  refuseOwnName(reader, name)
  refuseIdlePlaces(reader, manifest.capabilities, manifest)
  refuseUnknownFields(reader)
  return reader.faults.length === 0 ? Result.succeed(manifest) : Result.fail(reader.faults)
}
