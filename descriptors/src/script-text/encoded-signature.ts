import { hashTypeIsDefined } from "@lockstep/kernel/policy"
import { NO_FAULT, ScriptFlag } from "@lockstep/kernel/script"
import { signatureIsStrictDer } from "@lockstep/kernel/signature"

/** Reports whether data has the form of an ECDSA signature with its hash type: strict DER and a defined type. */
export const isEncodedSignature = (data: Uint8Array): boolean =>
  data.length > 0 && signatureIsStrictDer(data, ScriptFlag.STRICTENC) === NO_FAULT &&
  hashTypeIsDefined(data, ScriptFlag.STRICTENC) === NO_FAULT
