/**
 * The URLs that parts of the template have on AWS, and where these parts listen on this machine. Neither ends with a
 * slash.
 */
export class LocalUrls {
  readonly #urls = new Map<string, string>();

  add(awsUrl: string, localUrl: string): void {
    this.#urls.set(awsUrl, localUrl);
  }

  /** Returns a text of the template. If it is the URL of a part, or a path below it, it leads to this machine instead. */
  localize(text: string): string {
    const [awsUrl, localUrl] = [...this.#urls].find(([url]) => text === url || text.startsWith(`${url}/`)) ?? [];
    return awsUrl === undefined ? text : `${localUrl}${text.slice(awsUrl.length)}`;
  }
}
