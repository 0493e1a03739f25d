import { Link } from '@tanstack/react-router'
import { asTab, Tabs } from '../components/tabs.tsx'

export const GroupTabs = () => (
  <div className="tabs-bar">
    <Tabs label="Groups">
      <Link to="/groups/devices" {...asTab}>
        Devices
      </Link>
      <Link to="/groups/people" {...asTab}>
        People
      </Link>
    </Tabs>
  </div>
)
