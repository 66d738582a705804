import { writeJson } from "../json/write-json.ts"
import type { JsonValue } from "../json/json-value.ts"
import type { RpcError } from "../rpc-error.ts"
import type { Envelope } from "./json-rpc-request.ts"

const idText = ({ id }: Envelope): string => id === undefined ? "" : `,"id":${writeJson(id)}`

/** The text of an answer with a result. */
export const resultReply = (envelope: Envelope, result: JsonValue): string =>
  envelope.version === "2.0"
    ? `{"jsonrpc":"2.0","result":${writeJson(result)}${idText(envelope)}}`
    : `{"result":${writeJson(result)},"error":null${idText(envelope)}}`

/** The text of an answer with an error. */
export const errorReply = (envelope: Envelope, { code, message }: RpcError): string => {
  const error = writeJson({ code, message })
  return envelope.version === "2.0"
    ? `{"jsonrpc":"2.0","error":${error}${idText(envelope)}}`
    : `{"result":null,"error":${error}${idText(envelope)}}`
}
