/** A file that was to become a campaign is not JSON. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';

  constructor(file: string) {
    super(`${file} is not a JSON file. Choose a file that was exported from a campaign.`);
  }
}
