import { MODULE_EVENT_TYPES, type Permission, REQUEST_TYPES } from "@lockstep/protocol/module-ipc/index.ts"
import { MODULE_SOURCE } from "../lifecycle/module-program.ts"
import type { ModuleNode } from "./module-node.ts"

/** How a module that means harm ends up. */
export type Outcome =
  /** The node refuses it, or ends it, with this reason. */
  | { readonly _tag: "Ended"; readonly reason: RegExp }
  /** It writes what came of its attempts into a file, and is unloaded a while later. */
  | { readonly _tag: "Contained"; readonly report: Readonly<Record<string, unknown>>; readonly holdMs?: number }

/** A module that means harm. */
export interface HostileModule {
  readonly name: string
  /** What it does, for the table. */
  readonly does: string
  readonly capabilities?: ReadonlyArray<Permission>
  readonly files?: Readonly<Record<string, Uint8Array>>
  readonly program: (node: ModuleNode) => string
  readonly outcome: Outcome
  /** It outlasts a time limit of the node, of seconds. */
  readonly isSlow?: true
}

/** The position of a request or event, which stands for it on the wire. */
const tagsOf = (types: ReadonlyArray<string>): string =>
  JSON.stringify(Object.fromEntries(types.map((type, i) => [type, i])))

const ATTEMPTS = `
const fs = require("node:fs"), cp = require("node:child_process")
const R = ${tagsOf(REQUEST_TYPES)}, E = ${tagsOf(MODULE_EVENT_TYPES)}
const found = {}
const attempt = (name, act) => {
  try { found[name] = String(act() ?? "done") } catch (error) { found[name] = error.code ?? error.message }
}
const report = (more = {}) => {
  fs.writeFileSync(process.env.DATA_DIR + "/report.tmp", JSON.stringify({ ...found, ...more }))
  fs.renameSync(process.env.DATA_DIR + "/report.tmp", process.env.DATA_DIR + "/report")
}
/** Calls a function with each message of the node. */
const eachMessage = (take) => {
  let waiting = Buffer.alloc(0)
  onData = (chunk) => {
    waiting = Buffer.concat([waiting, chunk])
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE(0)) {
      const message = waiting.subarray(4, 4 + waiting.readUInt32LE(0))
      waiting = waiting.subarray(4 + message.length)
      take(message)
    }
  }
}
/** The text of the refusal in a response, or "answered". */
const refusalIn = (message) => {
  if (message[12] === 1) return "answered"
  const length = Number(message.readBigUInt64LE(15))
  return message.toString("utf8", 23, 23 + length)
}
`

/** A program that is connected before the lines of the module run. */
export const connectedProgram = (source: string): string => `${MODULE_SOURCE}${ATTEMPTS}${source}`

/** A program that has not connected. */
export const bareProgram = (source: string): string => `#!/usr/bin/env node\n"use strict"\n${source}`
