import { createScratch, type Scratch } from "../bytes/scratch.ts"
import type { Crypto } from "../crypto/crypto.ts"
import type { SpentOutputs, Transaction } from "../model/transaction.ts"
import type { SpendDigests } from "../sighash/digests.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"

/** Which signature scheme and limits a script runs under. @internal */
export const SigVersion = { BASE: 0, WITNESS_V0: 1, TAPSCRIPT: 2 } as const
export type SigVersion = typeof SigVersion[keyof typeof SigVersion]

/** Everything that is judged with one input: the transaction, the outputs it spends, the flags. */
export interface Spend {
  readonly tx: Transaction
  readonly inputIndex: number
  /** One per input; only the entry at `inputIndex` is read unless a taproot program is spent. */
  readonly spentOutputs: SpentOutputs
  readonly digests: SpendDigests
  readonly flags: ScriptFlags
}

/**
 * The script machine: created once by the caller, reset for every script, never reallocated. Elements of both stacks
 * are views that are never written to. Only opcode handlers and the evaluation loop change it.
 */
export interface Machine {
  readonly crypto: Crypto
  /** Memory in which the messages of signatures are assembled. */
  readonly scratch: Scratch
  /** Memory in which the script of a public key hash in a witness is assembled. */
  readonly keyHashScript: Uint8Array
  spend: Spend
  flags: ScriptFlags
  version: SigVersion

  script: Uint8Array
  /** Offset of the next instruction. */
  pc: number
  /** The instruction being executed, and the bounds of its data when it is a push. */
  opcode: number
  dataStart: number
  dataEnd: number
  /** Position of the instruction, counted in instructions (BIP342 commits to it, not to the offset). */
  instruction: number
  opcodes: number

  readonly stack: Array<Uint8Array>
  depth: number
  readonly alt: Array<Uint8Array>
  altDepth: number

  /**
   * Number of open conditionals, and the index of the outermost one that is false (-1: executing). Two numbers instead
   * of a vector, since nesting is unbounded in tapscript.
   */
  conditionals: number
  firstFalse: number

  /** Offset after the last executed OP_CODESEPARATOR; its instruction position, 0xffffffff if none was executed. */
  separatorOffset: number
  separatorInstruction: number

  /**
   * Tapscript only: 32-byte leaf hash, SHA-256 of the annex with its length (empty without an annex), signature budget.
   */
  leafHash: Uint8Array
  annexHash: Uint8Array
  weightLeft: number
}

const NOTHING = new Uint8Array(0)

const NO_SPEND: Spend = {
  tx: { bytes: NOTHING, body: NOTHING, hasWitness: false, version: 0, inputs: [], outputs: [], lockTime: 0 },
  inputIndex: 0,
  spentOutputs: [],
  digests: {},
  flags: ScriptFlag.NONE
}

/** A machine on `crypto`, ready for any number of inputs one after another. */
export const createMachine = (crypto: Crypto): Machine => ({
  crypto,
  scratch: createScratch(),
  // On a buffer of its own. So small an array would lie in the heap until the first push makes a view of it, and then
  // be moved.
  keyHashScript: new Uint8Array(new ArrayBuffer(25)),
  spend: NO_SPEND,
  flags: ScriptFlag.NONE,
  version: SigVersion.BASE,
  script: NOTHING,
  pc: 0,
  opcode: 0,
  dataStart: 0,
  dataEnd: 0,
  instruction: 0,
  opcodes: 0,
  stack: [],
  depth: 0,
  alt: [],
  altDepth: 0,
  conditionals: 0,
  firstFalse: -1,
  separatorOffset: 0,
  separatorInstruction: 0xffffffff,
  leafHash: NOTHING,
  annexHash: NOTHING,
  weightLeft: 0
})

/** Prepares `m` to judge `spend`: both stacks empty. @internal */
export const resetMachine = (m: Machine, spend: Spend): void => {
  m.spend = spend
  m.flags = spend.flags
  m.depth = 0
  m.leafHash = NOTHING
  m.annexHash = NOTHING
}

/** Prepares `m` to evaluate `script` on the stack it holds. @internal */
export const loadScript = (m: Machine, script: Uint8Array, version: SigVersion): void => {
  m.script = script
  m.version = version
  m.pc = 0
  m.instruction = 0
  m.opcodes = 0
  m.altDepth = 0
  m.conditionals = 0
  m.firstFalse = -1
  m.separatorOffset = 0
  m.separatorInstruction = 0xffffffff
}

/** Puts `element` on top of the stack. @internal */
export const push = (m: Machine, element: Uint8Array): void => {
  m.stack[m.depth++] = element
}

/** Returns the element `index` positions below the top (0 is the top). Precondition: `index < m.depth`. @internal */
export const peek = (m: Machine, index: number): Uint8Array => m.stack[m.depth - 1 - index]!
