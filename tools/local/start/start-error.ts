/** The faults of a state folder, by the code of the system's error. */
const faults: readonly (readonly [RegExp, string, string])[] = [
  [/\b(ENOSPC|EDQUOT)\b/, 'is on a disk that is full', 'Free some space'],
  [/\b(EACCES|EPERM|EROFS)\b/, 'cannot be written', 'Make it writable'],
  // Node reports this when the folder above the state folder is read-only.
  [/\bENOENT\b(?=.*\bmkdir\b)/, 'cannot be made', 'Make the folder above it writable'],
  [/\b(ENOTDIR|EEXIST)\b/, 'is not a folder', 'Remove what is in its place'],
];

/**
 * Turns the error of a start into a sentence that says what to do. An error with another cause than the state folder
 * keeps its own words.
 */
export function describeStartError({ message }: Error, stateDirectory: string): string {
  // A missing right to open a port is no fault of the folder.
  const fault = message.startsWith('listen ') ? undefined : faults.find(([pattern]) => pattern.test(message));
  if (!fault) return message;
  const [pattern, problem, remedy] = fault;
  const [code] = pattern.exec(message) ?? [];
  return `The state folder ${stateDirectory} ${problem} (${code}). ${remedy}, or choose another folder with npm start -- --state-dir DIR.`;
}
