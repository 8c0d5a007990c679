import type { User } from './users.ts';

interface SignInPage {
  /** The path of the interaction. The forms are sent below it. */
  readonly path: string;
  readonly users: readonly User[];
  /** Addresses that are invited and have not signed up. */
  readonly invited: readonly string[];
  /** Why the last sign-up failed. */
  readonly problem?: string | undefined;
}

/** The page on which a person chooses who to be. It has no script. */
export function signInPage({ path, users, invited, problem }: SignInPage): string {
  const people = users.map(
    ({ subject, name, email, part }) =>
      `<button name="subject" value="${escaped(subject)}"><b>${escaped(name)}</b><span>${escaped(part ?? email)}</span></button>`,
  );
  const list = `<form method="post" action="${escaped(path)}/choose">${people.join('\n')}</form>`;
  const nobody =
    '<p>Nobody has signed up yet. Invite somebody first: <code>npm run admin -- organisation invite --help</code></p>';
  return document(`${people.length > 0 ? list : nobody}
${invited.map((email) => signUpButton(path, email)).join('\n')}
<details${problem === undefined ? '' : ' open'}>
<summary>Sign up with an invited address</summary>
${problem === undefined ? '' : `<p class="problem" role="alert">${escaped(problem)}</p>`}
<form method="post" action="${escaped(path)}/sign-up">
<label>Name<input name="name" required maxlength="255" autocomplete="off"></label>
<label>E-mail address<input name="email" type="email" required maxlength="254" autocomplete="off"></label>
<button>Sign up</button>
</form>
</details>`);
}

/** Signs a person up with a name made from the address. */
const signUpButton = (path: string, email: string): string =>
  `<form method="post" action="${escaped(path)}/sign-up" class="invited">
<input type="hidden" name="name" value="${escaped(nameOf(email))}">
<button name="email" value="${escaped(email)}"><b>${escaped(email)}</b><span>invited, signs up now</span></button>
</form>`;

/** `grace.hopper@corner.example` → `Grace Hopper` */
const nameOf = (email: string): string =>
  email
    .split('@', 1)
    .flatMap((local) => local.split(/[._+-]+/))
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/** A page with one sentence. */
export const messagePage = (message: string): string => document(`<p>${escaped(message)}</p>`);

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:26rem;margin:12vh auto 2rem;padding:0 1rem}
h1{font-size:1.25rem;margin:0 0 .25rem}
p{margin:.25rem 0 1.25rem}
.note{color:color-mix(in srgb,CanvasText 65%,Canvas)}
.problem{color:#b3261e}
form{display:grid;gap:.5rem}
.invited{margin-top:.5rem}
label{display:grid;gap:.25rem}
input,button{font:inherit;padding:.625rem .75rem;border:1px solid color-mix(in srgb,CanvasText 25%,Canvas);border-radius:.5rem;background:Canvas;color:CanvasText}
button{display:grid;text-align:left;cursor:pointer}
button:hover{border-color:CanvasText}
button span{color:color-mix(in srgb,CanvasText 65%,Canvas);font-size:.875rem}
details{margin-top:1.5rem}
summary{cursor:pointer;margin-bottom:.75rem}
@media (prefers-color-scheme:dark){.problem{color:#f2b8b5}}`;

const document = (content: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Sign in (local)</title><style>${style}</style></head>
<body><main><h1>Who are you?</h1>
<p class="note">This page stands in for Cognito on this machine. It asks for no password. On AWS, everybody signs in with
a second factor.</p>
${content}</main></body></html>`;

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
