% SPDX-License-Identifier: BSD-3-Clause
% ORCA's toy example through RUNG.m, compared with the command. usage: octave test_rung.m RUNG TOY.csv FOLDER
arguments = argv();
rung = arguments{1};
table = csvread(arguments{2}, 1, 0);
scratch = arguments{3};
train.patterns = table(1:2:end, 1:2);
train.targets = table(1:2:end, 3);
test.patterns = table(2:2:end, 1:2);
test.targets = table(2:2:end, 3);

r = RUNG('method', 'svorim', 'command', rung);
info = r.fitpredict(train, test, struct('C', 10, 'gamma', 1));
assert(isequal(sort(fieldnames(info)), sort({'projectedTrain'; 'predictedTrain'; 'projectedTest'; 'predictedTest'; ...
    'trainTime'; 'testTime'; 'model'})));
assert(size(info.predictedTest), [rows(test.patterns), 1]);
mae = mean(abs(info.predictedTest - test.targets));
assert(mae < 0.15, 'mae %g', mae);

% the same numbers as the command, to the last bit
file = fullfile(scratch, 'model.rung');
id = fopen(file, 'w');
fwrite(id, info.model.bytes, 'uint8');
fclose(id);
RUNG.write(fullfile(scratch, 'test.csv'), test.patterns, []);
[status, answer] = system(['''', rung, ''' predict ''', file, ''' ''', fullfile(scratch, 'test.csv'), '''']);
assert(status, 0);
lines = strsplit(strtrim(answer), "\n");
for i = [1, 50, rows(test.patterns)]
    cells = strsplit(lines{i + 1}, ',');
    assert(str2double(cells{2}), info.predictedTest(i));
    assert(str2double(cells{3}), info.projectedTest(i));
end

% a saved model predicts the same in another object
other = RUNG('command', rung);
model = r.getModel();
save('-binary', fullfile(scratch, 'model.mat'), 'model');
clear model
load(fullfile(scratch, 'model.mat'));
other.setModel(model);
[projected, predicted] = other.predict(test.patterns);
assert(projected, info.projectedTest);
assert(predicted, info.predictedTest);

% unlabelled rows: 0 or NaN
few = train;
few.targets(1:2:end) = 0;
few.targets(2:20:end) = NaN;
s = RUNG('method', 's-dl', 'command', rung);
[~, predicted] = s.fit(few);
assert(all(predicted >= 1 & predicted <= 5));

% classes are called as in the targets, also where one has no rows; warnings are warnings
gap = train;
gap.targets(gap.targets == 2) = 7;
gap.patterns(:, end + 1) = 1:rows(gap.patterns);
lastwarn('');
[~, predicted] = RUNG('method', 'pom', 'command', rung).fit(gap);
assert(all(ismember(predicted, unique(gap.targets))));
assert(any(predicted > 5));
assert(! isempty(strfind(lastwarn(), 'only counts the rows')), '%s', lastwarn());

% mistakes
function fails(call, words)
    try
        call();
    catch why
        assert(! isempty(strfind(why.message, words)), '%s', why.message);
        return
    end
    error('no error for: %s', words);
end
fails(@() RUNG('method', 'nosuch', 'command', rung).fit(train), 'nosuch');
fails(@() RUNG('kernel', 'rbf'), 'kernel');
fails(@() RUNG('command', rung).predict(test.patterns), 'no fitted model');
fails(@() RUNG('command', rung).fit(struct('patterns', 1)), 'targets');
fails(@() RUNG('command', rung, 'method', 'kdlor').fit(train, struct('ridge', -1)), 'ridge');
printf('mae on the toy example: %.3f\n', mae);
