import { StorageError } from "../storage-error.ts"
import { EngineLacking } from "./engine-lacking.ts"
import { Unmappable } from "./map-fault.ts"
import { asTyped } from "../../typed-command.ts"
import { byFront } from "../../front/front.ts"

type Reason = StorageError["reason"]

/** Reasons by error number of LMDB: its own are negative, those of the operating system positive. */
const REASON_OF_NUMBER: Readonly<Record<number, Reason>> = {
  [-30797]: "corrupt",
  [-30796]: "corrupt",
  [-30793]: "corrupt",
  [-30794]: "corrupt",
  [-30792]: "full",
  2: "missing",
  11: "locked",
  27: "full",
  28: "full",
  122: "full"
}

const REASON_OF_NAME: Readonly<Record<string, Reason>> = {
  LEVEL_CORRUPTION: "corrupt",
  LEVEL_LOCKED: "locked",
  ENOSPC: "full",
  EDQUOT: "full",
  ENOENT: "missing"
}

/** Reasons by text, because LevelDB reports the system's error only as text. */
const REASON_OF_WORDS: ReadonlyArray<readonly [RegExp, Reason]> = [
  [/no space left|disk quota|file too large/i, "full"],
  [/corruption|checksum|not an sstable|bad block|truncated|bad\/duplicate entries/i, "corrupt"],
  // A file of the store that is missing or too short.
  [/(?:MANIFEST-|\.ldb|\.sst|CURRENT).*: (?:no such file|invalid argument)/i, "corrupt"],
  [/already held|resource temporarily unavailable/i, "locked"]
]

const REMEDIES: Readonly<Record<Reason, string>> = {
  corrupt: `The store is damaged: move it away and run ${
    asTyped("rebuild")
  }, which makes it anew from the block files.`,
  full: "Free some space, then start again.",
  missing: `Restore it, or run ${asTyped("rebuild")} to make it anew from the block files.`,
  locked: "Stop the other process that has it open.",
  newer: "It was written by a newer version: use that version, or another data directory.",
  io: "Check the disk, its rights and its mount before starting again."
}

const causes = function*(error: unknown): Generator<Error & { readonly code?: unknown }> {
  let cause = error
  for (let depth = 0; cause instanceof Error && depth < 5; depth++) {
    yield cause
    cause = cause.cause
  }
}

const reasonOf = (error: unknown): Reason => {
  for (const { code } of causes(error)) {
    const known = typeof code === "number"
      ? REASON_OF_NUMBER[code]
      : typeof code === "string"
      ? REASON_OF_NAME[code]
      : undefined
    if (known !== undefined) return known
  }
  for (const { message } of causes(error)) {
    const found = REASON_OF_WORDS.find(([words]) => words.test(message))
    if (found !== undefined) return found[1]
  }
  return "io"
}

const RIGHTS = "Give the user that runs the node the right to read and write it."

/** Makes an error of a key-value engine that names the path and says what to do. */
export const storeError = (reason: Reason, operation: string, path: string, detail: string): StorageError =>
  new StorageError({
    part: "key-value",
    operation,
    reason,
    path,
    message: `Cannot ${operation} the key-value store ${path}: ${detail}. ${
      reason === "io" && /permission denied/i.test(detail) ? RIGHTS : REMEDIES[reason]
    }`
  })

/** Reports whether an error of {@link engineError} is about a library that cannot be loaded. */
export const isLacking = (error: StorageError): boolean => error.operation === "load"

const lacking = (path: string, details: string): StorageError => {
  const remedy = byFront({
    lockstep: "Install the node anew on this machine, or choose another storage.database_backend.",
    bitcoind: "Install the node anew on this machine."
  })
  const message = `Cannot open the key-value store ${path}: ${details}. ${remedy}`
  return new StorageError({ part: "key-value", operation: "load", reason: "missing", path, message })
}

/** Reports whether an error of {@link engineError} is about files that cannot be mapped into memory. */
export const isUnmappable = (error: StorageError): boolean => error.operation === "map"

const unmappable = (path: string, fault: string): StorageError => {
  const remedy = fault.startsWith("ENOMEM")
    ? "Raise the limit of address space (ulimit -v, LimitAS= of a service): memory is better limited by a control group"
    : "Put the data directory on a file system that maps files shared, or let the filter that confines this process allow it"
  const message =
    `Cannot open the key-value store ${path}: its files cannot be mapped into memory (${fault}). ${remedy}.`
  return new StorageError({ part: "key-value", operation: "map", reason: "io", path, message })
}

/** Turns an exception of an engine into a typed error. */
export const engineError = (operation: string, path: string, error: unknown): StorageError => {
  if (error instanceof StorageError) return error
  if (error instanceof Unmappable) return unmappable(path, error.message)
  // Some messages end with a line break.
  const details = [
    ...new Set([...causes(error)].map(({ message }) => message.replaceAll(/\s+/g, " ").trim().replace(/\.$/, "")))
  ]
  const detail = details.length === 0 ? String(error) : details.join(": ")
  return error instanceof EngineLacking ? lacking(path, detail) : storeError(reasonOf(error), operation, path, detail)
}

/** Makes the error for a value with a wrong checksum. */
export const brokenSeal = (path: string, key: Uint8Array): StorageError =>
  storeError("corrupt", "read", path, `the value under ${Buffer.from(key).toString("hex")} does not fit its checksum`)
