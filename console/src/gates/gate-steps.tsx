import { Icon } from '../components/icon.tsx'

const steps = ['Account', 'Second factor', 'Recovery codes'] as const

/** How far someone has come who opens their account. */
export const GateSteps = ({ now }: { now: (typeof steps)[number] }) => (
  <ol className="gate-steps" aria-label="Steps">
    {steps.map((step, index) => (
      <li key={step} className={step === now ? 'on' : ''} {...(step === now && { 'aria-current': 'step' })}>
        <span aria-hidden="true">{index < steps.indexOf(now) ? <Icon name="tick" size={14} /> : index + 1}</span>
        {step}
        {index < steps.indexOf(now) && <span className="hidden">, done</span>}
      </li>
    ))}
  </ol>
)
