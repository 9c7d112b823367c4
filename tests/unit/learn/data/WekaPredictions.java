// Prints what Weka's learners, with their default options, predict for rows: a line for each row of the second
// table, a column for each learner, after training on the first table.
//
//     java -cp /usr/share/java/weka.jar WekaPredictions.java TRAINING.arff ROWS.arff
//
// Each row is predicted by a copy of the trained learner that has predicted nothing else, since IBk's ranges
// grow with each row that it predicts.
import java.io.FileReader;
import weka.classifiers.Classifier;
import weka.core.Instances;

public class WekaPredictions {
  static Instances read(String path) throws Exception {
    Instances rows = new Instances(new FileReader(path));
    rows.setClassIndex(rows.numAttributes() - 1);
    return rows;
  }

  public static void main(String[] arguments) throws Exception {
    Classifier[] learners = {
        new weka.classifiers.lazy.IBk(), new weka.classifiers.lazy.KStar(),
        new weka.classifiers.functions.LinearRegression(), new weka.classifiers.trees.M5P(),
        new weka.classifiers.functions.MultilayerPerceptron(), new weka.classifiers.functions.SMOreg()};
    Instances training = read(arguments[0]), rows = read(arguments[1]);
    for (Classifier learner : learners) learner.buildClassifier(training);
    for (int i = 0; i < rows.numInstances(); ++i) {
      StringBuilder line = new StringBuilder();
      for (Classifier learner : learners) {
        if (line.length() > 0) line.append(',');
        line.append(Classifier.makeCopy(learner).classifyInstance(rows.instance(i)));
      }
      System.out.println(line);
    }
  }
}
