import { maximumCharacters } from '../../contracts/limits.ts';

/** The page of the dashboard that a person sees when no other page is asked for. */
const home = '/';

/** Stands for the dashboard's own origin while a path is resolved. The domain `invalid` belongs to nobody (RFC 6761). */
const own = 'https://dashboard.invalid';

/**
 * Returns the path of the dashboard to which a person returns after a sign-in, with query and fragment. Anything that is
 * no path of the dashboard becomes `/`, so a link to the sign-in cannot lead to another site. A path of the API becomes
 * `/` too, because a person should see a page.
 *
 * @param text from the request, so anybody may have made it up
 */
export function returnPathOf(text: string | undefined): string {
  if (text === undefined || text.length > maximumCharacters.returnPath || !beginsAsPath.test(text)) return home;
  if (!URL.canParse(text, own)) return home;
  const { origin, pathname, search, hash } = new URL(text, own);
  // A browser resolves the dots of `/.//other.example`, and what is left would name another site.
  if (origin !== own || pathname.startsWith('//') || /^\/api(\/|$)/.test(pathname)) return home;
  return `${pathname}${search}${hash}`;
}

/**
 * One slash, no second one, and then visible characters of ASCII, as browsers write paths. Browsers read a backslash as a
 * slash and ignore tabs and line breaks, so none of these may occur anywhere.
 */
const beginsAsPath = /^\/(?!\/)[!-[\]-~]*$/;
