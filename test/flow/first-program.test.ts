import { describeGuide } from './support/guide-suite.ts';

// An operator's platform has no organisations, members or campaigns before the first command.
describeGuide('docs/first-program.md', { showsDemo: false });
