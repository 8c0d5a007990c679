import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

/** How large a bundle is, in KB of 1024 bytes. */
export interface Size {
  readonly sizeKb: number;
  readonly gzipKb: number;
}

export async function sizeOf(file: string): Promise<Size> {
  const code = await readFile(file);
  return { sizeKb: kilobytes(code.byteLength), gzipKb: kilobytes(gzipSync(code).byteLength) };
}

/** To a tenth. */
function kilobytes(bytes: number): number {
  return Math.round((bytes / 1024) * 10) / 10;
}
