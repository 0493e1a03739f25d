/** What every stream tells of; nothing of it can be left out. */
export const EventTypes = () => (
  <section>
    <h2>Events</h2>
    <ul className="lines">
      <li className="line">
        <code>device_trust.status_changed</code>
        <span className="secondary">a device stops or begins to comply (CAEP device compliance change)</span>
      </li>
      <li className="line">
        <code>verification</code>
        <span className="secondary">someone asks whether events arrive; every stream has it</span>
      </li>
    </ul>
  </section>
)
