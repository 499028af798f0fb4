#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Drives Firefox for browsers.py: reads lines ["go", URL], ["run", SCRIPT] and ["act", ACTIONS], answers each with a
# line of JSON.
use strict;
use warnings;
use Firefox::Marionette;
use JSON;

$| = 1;
my $json = JSON->new->allow_nonref;
my $firefox = Firefox::Marionette->new(binary => '/usr/bin/firefox-esr', width => 1366, height => 768);
while (my $line = <STDIN>) {
  my ($what, $argument) = @{ $json->utf8->decode($line) };
  my $answer = eval {
    return { value => $firefox->go($argument) ? 1 : 0 } if $what eq 'go';
    return { value => $firefox->perform(@{$argument}) ? 1 : 0 } if $what eq 'act';
    return { value => $firefox->script($argument) };
  } // { error => "$@" };
  print $json->utf8->encode($answer), "\n";
}
$firefox->quit();
