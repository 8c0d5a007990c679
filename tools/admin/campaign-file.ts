import { readFile } from 'node:fs/promises';

/**
 * A campaign as an operator writes it: what it rewards, without what the platform gives it. What is wrong
 * with it is found when it is applied: it depends on what is there already.
 */
export type CampaignFile = Readonly<Record<string, unknown>>;

/** Reads a campaign file. @throws SyntaxError when it is not JSON */
export async function readCampaignFile(path: string | URL): Promise<CampaignFile> {
  return JSON.parse(await readFile(path, 'utf8')) as CampaignFile;
}
