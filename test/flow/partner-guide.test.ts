import { describeGuide } from './support/guide-suite.ts';

describeGuide('docs/partner-guide.md');
