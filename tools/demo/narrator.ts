/** Prints a story so that somebody who sees the product for the first time can follow it. */

const isTerminal = process.stdout.isTTY;
const paint = (code: number) => (text: string) => (isTerminal ? `\u001b[${code}m${text}\u001b[0m` : text);
const bold = paint(1);
const dim = paint(2);
const green = paint(32);

let chapters = 0;

/** The next thing that is done, in a sentence or two. */
export function chapter(title: string, explanation: string): void {
  chapters += 1;
  console.log(`\n${bold(`${chapters}. ${title}`)}\n   ${explanation}`);
}

/** A request as it goes out. Secrets are shortened: they are on screens and in logs. */
export function showRequest(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): void {
  console.log(dim(`   → ${method} ${url}`));
  for (const [name, value] of Object.entries(headers)) console.log(dim(`     ${name}: ${shortened(value)}`));
  if (body) console.log(dim(`     ${shortened(body, 200)}`));
}

/** A reply as it came back. */
export function showReply(status: number, body: unknown): void {
  console.log(`   ← ${status}`);
  console.log(indented(JSON.stringify(body, undefined, 2)));
}

/** A command as it is typed, and what it printed. */
export function showOutput(command: string, output: string): void {
  console.log(dim(`   $ ${command}`));
  console.log(indented(output.trimEnd()));
}

/** Something that was checked and holds; ends the story where it does not. */
export function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(`does not hold: ${what}`);
  console.log(green(`   ✓ ${what}`));
}

function shortened(text: string, length = 48): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '     ');
}
