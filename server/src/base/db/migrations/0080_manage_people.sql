-- Whoever could not add people until now, which needed the power to manage settings, cannot deprovision them by an upgrade.
update admin_users set restrictions = array_append(restrictions, 'manage_people')
where access = 'limited' and restrictions @> array['manage_settings'] and not restrictions @> array['manage_people'];
