/** Decodes a part of a path; a part that cannot be decoded stands for itself. */
export const decodedText = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
