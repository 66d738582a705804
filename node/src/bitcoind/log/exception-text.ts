import { faultText, type PayloadFault } from "@lockstep/protocol/wire/fault.ts"

const BEGINNING: Partial<Record<PayloadFault["_tag"], string>> = { IndexOverflow: "indexes overflowed 16 bits" }

const MALFORMED: Readonly<Record<string, string>> = {
  "SER-001": "non-canonical ReadCompactSize() or ReadCompactSize(): size too large",
  "SER-003": "DataStream::read(): end of data",
  "SER-011": "Superfluous witness record",
  "SER-012": "Unknown transaction optional data"
}

/** Returns Bitcoin Core's words for a payload that cannot be decoded, if it has some. */
export const exceptionText = (fault: PayloadFault): string => {
  if (fault._tag === "TooLong" && fault.what === "address") return `Address too long: ${fault.length} > ${fault.most}`
  if (fault._tag === "Malformed") return MALFORMED[fault.rule] ?? faultText(fault)
  return BEGINNING[fault._tag] ?? faultText(fault)
}
