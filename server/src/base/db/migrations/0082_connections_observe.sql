-- Who adds a connection says what it does with devices: nothing enforces because nobody said otherwise.
alter table signin_connections alter column mode drop default;
