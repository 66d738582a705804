import { hashTypeIsDefined } from "@lockstep/kernel/policy/signature.ts"
import { NO_FAULT } from "@lockstep/kernel/script/fault.ts"
import { ScriptFlag } from "@lockstep/kernel/script/flags.ts"
import { signatureIsStrictDer } from "@lockstep/kernel/script/signature/der.ts"

/** Whether data looks like an ECDSA signature with its hash type: strictly encoded, of a defined type. */
export const isEncodedSignature = (data: Uint8Array): boolean =>
  data.length > 0 && signatureIsStrictDer(data, ScriptFlag.STRICTENC) === NO_FAULT &&
  hashTypeIsDefined(data, ScriptFlag.STRICTENC) === NO_FAULT
