/** Prints the story for a reader who sees the product for the first time. */

const isTerminal = process.stdout.isTTY;
const createStyle = (code: number) => (text: string) => (isTerminal ? `\u001b[${code}m${text}\u001b[0m` : text);
const bold = createStyle(1);
const dim = createStyle(2);
const green = createStyle(32);

/** A step of the story, with the number of facts that were checked in it. */
interface Step {
  readonly title: string;
  facts: number;
  hasFailed: boolean;
  /** Why the step is left out; absent when the step is played. */
  readonly leftOut?: string;
}

const steps: Step[] = [];
let isQuiet = false;

/** Prints nothing but the table of steps from now on. */
export function beQuiet(): void {
  isQuiet = true;
}

function print(text: string): void {
  if (!isQuiet) console.log(text);
}

/** Prints a line of the story. */
export const tell = (text: string): void => print(`   ${text}`);

/** Announces the next step in a sentence or two. */
export function chapter(title: string, explanation: string): void {
  steps.push({ title, facts: 0, hasFailed: false });
  print(`\n${bold(`${steps.length}. ${title}`)}\n   ${explanation}`);
}

/**
 * Names a step that this run leaves out, and the reason: for example, that an earlier run has already played the step.
 */
export function leaveOut(title: string, reason: string): void {
  steps.push({ title, facts: 0, hasFailed: false, leftOut: reason });
  print(`\n${bold(`${steps.length}. ${title}`)}\n   Left out: ${reason}`);
}

/** The steps so far, one a line, with the number of facts that were checked, or the reason why the step is left out. */
export function stepsTable(): string {
  const width = Math.max(...steps.map(({ title }) => title.length));
  return steps
    .map((step, nth) => `${String(nth + 1).padStart(3)}. ${step.title.padEnd(width)}  ${outcomeOf(step)}`)
    .join('\n');
}

function outcomeOf({ facts, hasFailed, leftOut }: Step): string {
  if (leftOut !== undefined) return `left out: ${leftOut}`;
  if (hasFailed) return 'FAILED';
  if (facts === 0) return 'done';
  return facts === 1 ? '1 fact' : `${facts} facts`;
}

interface ShownRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Prints a request. Secrets are shortened, because people see the output on screens and in logs. */
export function showRequest(method: string, url: string, { headers, body }: ShownRequest): void {
  print(dim(`   → ${method} ${url}`));
  for (const [name, value] of Object.entries(headers)) print(dim(`     ${name}: ${shorten(value)}`));
  if (body) print(dim(`     ${shorten(body, 200)}`));
}

export function showReply(status: number, body: unknown): void {
  print(`   ← ${status}`);
  print(indent(JSON.stringify(body, undefined, 2)));
}

/** Prints a command and its output. */
export function showOutput(command: string, output: string): void {
  print(dim(`   $ ${command}`));
  print(indent(output.trimEnd()));
}

/** Prints a fact that was checked. @throws Error when the fact does not hold, which ends the story */
export function expect(condition: boolean, fact: string): void {
  const step = steps.at(-1);
  if (step) {
    step.facts += 1;
    step.hasFailed = !condition;
  }
  if (!condition) throw new Error(`does not hold: ${fact}`);
  print(green(`   ✓ ${fact}`));
}

function shorten(text: string, length = 48): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '     ');
}
