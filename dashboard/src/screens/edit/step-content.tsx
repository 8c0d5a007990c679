import type { CampaignView } from '../../api/types.ts';
import { DetailsStep } from './details-step.tsx';
import { FlowsStep } from './flows-step.tsx';
import { GoalsStep } from './goals-step.tsx';
import { ReviewStep } from './review-step.tsx';
import { ScheduleStep } from './schedule-step.tsx';
import type { EditPlace } from './steps.ts';

interface Props {
  readonly place: EditPlace;
  readonly view: CampaignView;
  /** Whether the server has everything that is on the screen. */
  readonly isSaved: boolean;
}

/** The content of one place of the builder. */
export function StepContent({ place, view, isSaved }: Props) {
  switch (place) {
    case 'details':
      return <DetailsStep />;
    case 'schedule':
      return <ScheduleStep />;
    case 'flows':
      return <FlowsStep />;
    case 'goals':
      return <GoalsStep />;
    case 'review':
      return <ReviewStep view={view} isSaved={isSaved} />;
  }
}
