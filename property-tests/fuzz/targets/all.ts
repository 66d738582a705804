import type { AnyTarget } from "../target.ts"
import { blockSequenceTarget } from "./block-sequence.ts"
import { bloomTarget } from "./bloom.ts"
import { checkTransactionTarget } from "./check-transaction.ts"
import { compactBlockTarget } from "./compact-block.ts"
import { decodeBlockTarget } from "./decode-block.ts"
import { decodeTransactionTarget } from "./decode-transaction.ts"
import { derTarget } from "./der.ts"
import { evaluateTarget } from "./evaluate.ts"
import { lengthFramedTarget } from "./length-framed.ts"
import { moduleMessageTarget } from "./module-message.ts"
import { psbtTarget } from "./psbt.ts"
import { scriptNumberTarget } from "./script-number.ts"
import { sighashTarget } from "./sighash.ts"
import { sigOpsTarget } from "./sigops.ts"
import { taprootTarget } from "./taproot.ts"
import { txGraphTarget } from "./tx-graph.ts"
import { v2TransportTarget } from "./v2-transport.ts"
import { verifyScriptTarget } from "./verify-script.ts"
import { wireFramesTarget } from "./wire-frames.ts"
import { wireMessageTarget } from "./wire-message.ts"

/** Every target of the kernel, the wire, the module protocol and the mempool's graph, in the order in which `--target all` runs them. */
export const TARGETS: ReadonlyArray<AnyTarget> = [
  decodeTransactionTarget,
  decodeBlockTarget,
  scriptNumberTarget,
  evaluateTarget,
  verifyScriptTarget,
  sighashTarget,
  derTarget,
  taprootTarget,
  checkTransactionTarget,
  sigOpsTarget,
  blockSequenceTarget,
  wireMessageTarget,
  wireFramesTarget,
  lengthFramedTarget,
  moduleMessageTarget,
  bloomTarget,
  compactBlockTarget,
  psbtTarget,
  v2TransportTarget,
  txGraphTarget
] as ReadonlyArray<unknown> as ReadonlyArray<AnyTarget>
