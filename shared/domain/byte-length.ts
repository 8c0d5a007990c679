const encoder = new TextEncoder();

/** The length of a text in UTF-8, in bytes. The browser has it too, unlike Buffer. */
export const byteLength = (text: string): number => encoder.encode(text).byteLength;
