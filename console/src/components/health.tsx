import { Mark, type MarkName } from './state-shape.tsx'

const shown: Readonly<Record<string, readonly [MarkName, string]>> = {
  ok: ['tick', 'Healthy'],
  failing: ['cross', 'Failing'],
  stopped: ['dash', 'Off'],
  no_poll_token: ['warning', 'Nobody can poll'],
}

/** Whether a receiver gets what it should. */
export function Health({ state }: { state: string }) {
  const [mark, word] = shown[state] ?? ['question', state]
  return (
    <span className={state === 'failing' ? 'delivery bad' : 'delivery'}>
      <Mark name={mark} />
      {word}
    </span>
  )
}
