/**
 * The reason why bytes of a module's connection are no valid message. Plain data; {@link moduleIpcFaultText} formats
 * it. Each fault ends the connection, since sender and receiver no longer agree on the meaning of the bytes.
 */
export type ModuleIpcFault =
  /** The length before a frame exceeds the receiver's limit; nothing of the frame was read. */
  | { readonly _tag: "FrameTooLarge"; readonly length: number; readonly most: number }
  /** A frame ends before its message does, or declares more elements than its bytes can hold. */
  | { readonly _tag: "Truncated"; readonly offset: number }
  /** Bytes follow the message in its frame. */
  | { readonly _tag: "TrailingBytes"; readonly offset: number; readonly length: number }
  /** A variant, a name or a presence byte that the layout does not have. */
  | { readonly _tag: "UnknownTag"; readonly what: string; readonly tag: number; readonly offset: number }
  /** A text that is not UTF-8. */
  | { readonly _tag: "NotText"; readonly offset: number }
  /** A number above 2^53 − 1 where a JavaScript number must hold it. */
  | { readonly _tag: "NumberTooLarge"; readonly offset: number }
  /** A floating-point number that is infinite or not a number. */
  | { readonly _tag: "NotFinite"; readonly offset: number }
  /** A map that has a key twice. */
  | { readonly _tag: "DuplicateKey"; readonly key: string; readonly offset: number }
  /** The type before a payload is not the type of the payload. */
  | { readonly _tag: "TypeMismatch"; readonly declared: string; readonly found: string }

/** Formats a fault for a log or the author of a module. */
export const moduleIpcFaultText = (fault: ModuleIpcFault): string => {
  switch (fault._tag) {
    case "FrameTooLarge":
      return `a frame of ${fault.length} bytes is declared, at most ${fault.most} are allowed`
    case "Truncated":
      return `the frame ends before what it declares at byte ${fault.offset}`
    case "TrailingBytes":
      return `${fault.length} bytes follow the message at byte ${fault.offset}`
    case "UnknownTag":
      return `${fault.tag} is no ${fault.what} (byte ${fault.offset})`
    case "NotText":
      return `a text at byte ${fault.offset} is not UTF-8`
    case "NumberTooLarge":
      return `the number at byte ${fault.offset} is above 9007199254740991`
    case "NotFinite":
      return `the number at byte ${fault.offset} is infinite or not a number`
    case "DuplicateKey":
      return `the key ${JSON.stringify(fault.key)} stands twice in a map (byte ${fault.offset})`
    case "TypeMismatch":
      return `the type ${fault.declared} is declared, the payload is ${fault.found}`
  }
}
