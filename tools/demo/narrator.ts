/** Prints the story for a reader who sees the product for the first time. */

const isTerminal = process.stdout.isTTY;
const createStyle = (code: number) => (text: string) => (isTerminal ? `\u001b[${code}m${text}\u001b[0m` : text);
const bold = createStyle(1);
const dim = createStyle(2);
const green = createStyle(32);

let chapters = 0;

/** Announces the next step in a sentence or two. */
export function chapter(title: string, explanation: string): void {
  chapters += 1;
  console.log(`\n${bold(`${chapters}. ${title}`)}\n   ${explanation}`);
}

interface ShownRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Prints a request. Secrets are shortened, because the output is seen on screens and in logs. */
export function showRequest(method: string, url: string, { headers, body }: ShownRequest): void {
  console.log(dim(`   → ${method} ${url}`));
  for (const [name, value] of Object.entries(headers)) console.log(dim(`     ${name}: ${shorten(value)}`));
  if (body) console.log(dim(`     ${shorten(body, 200)}`));
}

export function showReply(status: number, body: unknown): void {
  console.log(`   ← ${status}`);
  console.log(indent(JSON.stringify(body, undefined, 2)));
}

/** Prints a command and its output. */
export function showOutput(command: string, output: string): void {
  console.log(dim(`   $ ${command}`));
  console.log(indent(output.trimEnd()));
}

/** Prints a fact that was checked. @throws Error when the fact does not hold, which ends the story */
export function expect(condition: boolean, fact: string): void {
  if (!condition) throw new Error(`does not hold: ${fact}`);
  console.log(green(`   ✓ ${fact}`));
}

function shorten(text: string, length = 48): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '     ');
}
