/** Decodes a part of a path. Returns a part that cannot be decoded unchanged. */
export const decodedText = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
