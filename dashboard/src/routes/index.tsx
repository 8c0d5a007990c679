import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/')({ component: Start });

function Start() {
  return (
    <main>
      <h1>Rewards</h1>
    </main>
  );
}
