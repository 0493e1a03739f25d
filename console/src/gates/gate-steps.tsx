const steps = ['Account', 'Second factor', 'Recovery codes'] as const

/** How far someone has come who opens their account. */
export const GateSteps = ({ now }: { now: (typeof steps)[number] }) => (
  <ol className="gate-steps" aria-label="Steps">
    {steps.map((step, index) => (
      <li key={step} className={step === now ? 'on' : ''} {...(step === now && { 'aria-current': 'step' })}>
        <span aria-hidden="true">{index + 1}</span>
        {step}
      </li>
    ))}
  </ol>
)
