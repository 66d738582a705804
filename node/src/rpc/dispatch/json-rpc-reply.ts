import { writeJson } from "../../json/write-json.ts"
import { JsonBytes, type JsonValue } from "../../json/json-value.ts"
import { LongText } from "../../json/long-text.ts"
import type { RpcError } from "../rpc-error.ts"
import type { Envelope } from "./json-rpc-request.ts"

const idText = ({ id }: Envelope): string => id === undefined ? "" : `,"id":${writeJson(id)}`

/** Returns the text of an answer with a result. */
export const resultReply = (envelope: Envelope, result: JsonValue): string | LongText => {
  const isNew = envelope.version === "2.0"
  const before = isNew ? "{\"jsonrpc\":\"2.0\",\"result\":" : "{\"result\":"
  const after = `${isNew ? "" : ",\"error\":null"}${idText(envelope)}}`
  return result instanceof JsonBytes
    ? new LongText(`${before}"`, result.bytes, `"${after}`)
    : before + writeJson(result) + after
}

/** Returns the text of an answer with an error. */
export const errorReply = (envelope: Envelope, { code, message }: RpcError): string => {
  const error = writeJson({ code, message })
  return envelope.version === "2.0"
    ? `{"jsonrpc":"2.0","error":${error}${idText(envelope)}}`
    : `{"result":null,"error":${error}${idText(envelope)}}`
}
