import { useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { useSignInReason } from '../api/session-gate.ts';
import type { Membership, Session } from '../api/types.ts';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Icon } from '../parts/icon.tsx';
import { loadMenuPopup } from '../parts/menu.tsx';
import { Toasts } from '../parts/toast.tsx';
import { Navigation } from './navigation.tsx';
import { OrganisationSwitch } from './organisation-switch.tsx';
import { PersonMenu } from './person-menu.tsx';
import styles from './shell.module.css';
import { useShortcut } from './use-shortcut.ts';

const SignInAgain = lazy(() => import('./sign-in-again.tsx').then((module) => ({ default: module.SignInAgain })));
const CommandList = lazy(() => import('./command-list.tsx').then((module) => ({ default: module.CommandList })));

interface Props {
  readonly session: Session;
  readonly organisation: Membership;
  readonly children: ReactNode;
}

/** What is around every screen: organisation, navigation, person, search. */
export function Shell({ session, organisation, children }: Props) {
  const [isMenuOpen, openMenu] = useState(false);
  const [isSearching, search] = useState(false);
  const signInReason = useSignInReason();
  useEffect(() => {
    const timer = setTimeout(loadMenuPopup, spareTimeMs);
    return () => clearTimeout(timer);
  }, []);
  useShortcut('k', () => search(true));
  const main = useFocusOnNavigation(() => openMenu(false));
  return (
    <div className={classes(styles.shell)}>
      <a href="#content" className={classes(styles.skip)}>
        Skip to content
      </a>
      {session.isSandbox && <div className={classes(styles.sandboxLine)} />}
      <header className={classes(styles.bar)}>
        <Button
          look="quiet"
          size="small"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onPress={() => openMenu(!isMenuOpen)}
        >
          <Icon name={isMenuOpen ? 'close' : 'menu'} />
          Menu
        </Button>
        <span className={classes(styles.barName)}>{organisation.name}</span>
        {session.isSandbox && <span className={classes(styles.sandbox)}>Sandbox</span>}
      </header>
      <aside id="navigation" className={classes(styles.sidebar, isMenuOpen && styles.open)}>
        <OrganisationSwitch session={session} organisation={organisation} />
        <AriaButton className={classes(styles.search)} onPress={() => search(true)}>
          <Icon name="search" />
          <span className={classes(styles.searchText)}>Search</span>
          <kbd className={classes(styles.key)}>{shortcutText}</kbd>
        </AriaButton>
        <Navigation organisation={organisation} />
        <PersonMenu session={session} />
      </aside>
      <main id="content" ref={main} tabIndex={-1} className={classes(styles.main)}>
        {children}
      </main>
      <Toasts />
      {signInReason !== null && (
        <Suspense>
          <SignInAgain session={session} reason={signInReason} />
        </Suspense>
      )}
      {isSearching && (
        <Suspense>
          <CommandList organisation={organisation} onClose={() => search(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** After this time the first screen is there, and what later ones need can be loaded. */
const spareTimeMs = 1_000;

const shortcutText = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

/** Moves the focus to the new screen, as a page load would. */
function useFocusOnNavigation(onNavigate: () => void) {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    onNavigate();
    main.current?.focus({ preventScroll: true });
  }, [path, onNavigate]);
  return main;
}
