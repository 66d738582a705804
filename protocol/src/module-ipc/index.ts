/** The wire between the node and its modules: frames, messages, errors and permissions. */
export { ANSWER_OF_REQUEST, type AnswerTo } from "./answers.ts"
export { unknownName } from "./layout/misfit.ts"
export type {
  BlockTemplate,
  ChainInfo,
  DenylistSnapshot,
  OutPoint,
  PeerInfo,
  SubmitBlockResult,
  SubmitTransactionResult,
  SyncStatus,
  Utxo
} from "./chain-values.ts"
export { type IpcError, type IpcErrorKind, ipcErrorOf, ipcErrorText } from "./error.ts"
export { MODULE_EVENT_TYPES, type ModuleEventPayload, type ModuleEventType } from "./events/event-payloads.ts"
export { RESERVED_EVENTS, type ReservedEvent } from "./events/reserved-events.ts"
export { type ModuleIpcFault, moduleIpcFaultText } from "./fault.ts"
export { type ModuleFrameBatch, moduleFrameBatch, moduleFramePieces } from "./frame-batch.ts"
export {
  abandonModuleFrames,
  feedModuleFrames,
  heldModuleBytes,
  MAX_HANDSHAKE_BYTES,
  MAX_MODULE_MESSAGE_BYTES,
  MAX_NODE_MESSAGE_BYTES,
  type ModuleFrameReader,
  moduleFrameReader,
  readModuleFrame
} from "./frame-reader.ts"
export {
  decodeModuleMessage,
  encodeModuleFrame,
  encodeModuleMessage,
  moduleEvent,
  type ModuleMessage,
  type ModuleMessageOf,
  moduleRefusal,
  moduleRequest,
  moduleResponse
} from "./message.ts"
export type { CliSpec, LogLevel, Metric, ModuleHealth, ModuleInfo } from "./module-values.ts"
export { type Permission, PERMISSION_OF_REQUEST, permissionCalled, PERMISSIONS } from "./permissions.ts"
export { REQUEST_TYPES, requestMisfit, type RequestPayload, type RequestType } from "./requests.ts"
export { RESPONSE_TYPES, type ResponsePayload, type ResponseType } from "./responses.ts"
